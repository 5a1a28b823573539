import { test } from "vitest";
import { ServiceLedger } from "../../durable-objects/service-ledger.ts";
import { REF, START, TestService } from "../support/builders.ts";
import { MemoryServiceStore } from "../support/memory-store.ts";

const ABSENCES: [string, boolean][] = [
  ["a start with empty memory", true],
  ["a machine that slept", false],
];

test.for(ABSENCES)(
  "L8: after %s while beats came, one alarm follows, for the leases",
  ([, isLost], { expect }) => {
    const alarms: number[] = [];
    const store = new MemoryServiceStore();
    const alarm = { set: (at: number): void => void alarms.push(at - START) };
    const service = new TestService();
    service.register();
    const record = { ...service.state.record, isCatalogueDue: false };
    const first = new ServiceLedger(store, alarm);
    const state = first.open(REF, START);
    for (const change of service.changes) first.commit(state, { ...change, record });
    first.renew(state, [...state.instances.values()], START);
    expect(alarms).toEqual([15_000, 8_000]);
    const ledger = isLost ? new ServiceLedger(store, alarm) : first;
    ledger.setPendingAlarm(START + 8_000);
    for (const at of [60_000, 60_200, 60_400, 60_600]) {
      ledger.wake(START + at, START + at);
      ledger.arm(START + at);
    }
    expect(alarms.at(-1)).toBe(75_000);
  },
);
