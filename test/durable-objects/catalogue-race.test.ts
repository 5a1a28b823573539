import { env } from "cloudflare:workers";
import { test } from "vitest";
import { CatalogueReporter } from "../../durable-objects/catalogue-reporter.ts";
import type { ObjectEnv } from "../../durable-objects/env.ts";
import { ServiceLedger } from "../../durable-objects/service-ledger.ts";
import type { CatalogueEntry } from "../../shared/naming/catalogue.ts";
import { planDeregistration, planRegistration } from "../../shared/naming/registration.ts";
import { planDeletion } from "../../shared/naming/settings.ts";
import { address, ORIGIN, REF, registration, START } from "../support/builders.ts";
import { MemoryServiceStore } from "../support/memory-store.ts";

/** A catalogue whose answers are given by hand. */
class SlowCatalogue {
  isListed = false;
  readonly answers: (() => void)[] = [];

  async put(_entry: CatalogueEntry): Promise<void> {
    await new Promise<void>((done) => this.answers.push(done));
    this.isListed = true;
  }

  async remove(): Promise<void> {
    await new Promise<void>((done) => this.answers.push(done));
    this.isListed = false;
  }

  /** Answers what is under way, and whatever follows from it. */
  async answerAll(): Promise<void> {
    for (let round = 0; round < 10; round++) {
      for (const answer of this.answers.splice(0)) answer();
      await Promise.resolve();
      await scheduler.wait(0);
    }
  }
}

test("S6: a registration during the removal of its service is in the catalogue before its answer", async ({
  expect,
}) => {
  const catalogue = new SlowCatalogue();
  const store = new MemoryServiceStore();
  const ledger = new ServiceLedger(store, { set: () => {} });
  // Only `getByName` of the binding is used.
  const objects: ObjectEnv = Object.assign(Object.create(env), { NAMESPACE: { getByName: () => catalogue } });
  const reporter = new CatalogueReporter(objects, store, ledger);
  const state = ledger.open(REF, START);
  function register(): void {
    const planned = planRegistration(state, registration(), START, ORIGIN);
    if (planned.ok) ledger.commit(state, planned.value.change);
  }
  register();
  const made = reporter.ensureListed(state, START);
  await catalogue.answerAll();
  await made;
  expect(catalogue.isListed).toBe(true);

  ledger.commit(state, planDeregistration(state, address(), START, ORIGIN).change);
  const deleted = planDeletion(state, START, ORIGIN);
  if (deleted.ok) ledger.commit(state, deleted.value);
  const removal = reporter.ensureListed(state, START);
  register();
  let isAnswered = false;
  const again = reporter.ensureListed(state, START).then(() => (isAnswered = true));
  await scheduler.wait(0);
  expect(isAnswered).toBe(false);
  await catalogue.answerAll();
  await Promise.all([removal, again]);
  expect(catalogue.isListed).toBe(true);
});
