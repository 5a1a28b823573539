import { fail, succeed, type Result } from "../../shared/errors.ts";
import { canonicalAddress } from "../../shared/naming/address.ts";
import { DEFAULT_CLUSTER } from "../../shared/naming/instance.ts";
import { MAX_METADATA_LENGTH, metadataLength } from "../../shared/naming/metadata.ts";
import { tooLongText } from "../../shared/naming/names.ts";
import { serviceObjectName, type ServiceRef } from "../../shared/naming/service-ref.ts";
import {
  newPublication,
  registrationOf,
  updatedPublication,
  type Publication,
} from "../../shared/push/publication.ts";
import { ownerName } from "../../shared/push/session-name.ts";
import { MAX_PUBLICATIONS, type FrameOf, type PublishedInstance } from "../../shared/schemas/push.ts";
import type { ObjectEnv } from "../env.ts";
import type { SqlSessionStore } from "../store/session-store.ts";
import type { Session } from "./sessions.ts";

type Address = Pick<PublishedInstance, "ip" | "port" | "clusterName">;

/**
 * What sessions publish. A publication is stored before its service hears of it, so that the end of its session finds it
 * whatever happens in between.
 */
export class Publisher {
  readonly #env: ObjectEnv;
  readonly #store: SqlSessionStore;
  readonly #objectName: string;

  constructor(env: ObjectEnv, store: SqlSessionStore, objectName: string) {
    this.#env = env;
    this.#store = store;
    this.#objectName = objectName;
  }

  /** Registers an instance that lives as long as its session, or replaces what it registered before. */
  async register(session: Session, ref: ServiceRef, frame: FrameOf<"register">): Promise<Result<null>> {
    const { sessionId } = session;
    const publication = newPublication(frame.instance);
    const old = this.#find(sessionId, ref, frame.instance);
    if (old === undefined && this.countOf(sessionId) >= MAX_PUBLICATIONS) {
      return fail("parameterInvalid", `A session publishes at most ${MAX_PUBLICATIONS} instances.`);
    }
    return this.#put(session, ref, publication, old);
  }

  /** Changes only what is sent of an instance that the session publishes. */
  async update(session: Session, ref: ServiceRef, frame: FrameOf<"update">): Promise<Result<null>> {
    const old = this.#find(session.sessionId, ref, frame.instance);
    if (old === undefined) {
      const { ip, port, clusterName = DEFAULT_CLUSTER } = frame.instance;
      return fail(
        "resourceNotFound",
        `This session publishes no instance ${clusterName}#${ip}:${port} there.`,
      );
    }
    return this.#put(session, ref, updatedPublication(old, frame.instance), old);
  }

  /** Deregisters an instance, whether or not it was there. */
  async deregister(session: Session, ref: ServiceRef, frame: FrameOf<"deregister">): Promise<void> {
    const { ip, port, clusterName = DEFAULT_CLUSTER } = frame.instance;
    const address = { ip: canonicalAddress(ip), port, clusterName };
    await this.#service(ref).deregister(ref, address, { by: session.caller, cause: "deregister by socket" });
    const { sessionId } = session;
    this.#store.removePublication({ sessionId, ...ref }, address);
  }

  /** How many instances a session publishes. */
  countOf(sessionId: string): number {
    return this.#store.countPublications(sessionId);
  }

  /** Registers all that a session publishes again: it was marked meanwhile, or came from another object. */
  async registerAll(session: Session, namespaceId: string): Promise<void> {
    for (const { publication, ...service } of this.#store.publications(session.sessionId)) {
      const ref = { namespaceId, ...service };
      const owner = ownerName(this.#objectName, session.sessionId);
      const origin = { by: session.caller, cause: "its session came back" };
      await this.#service(ref).register(ref, registrationOf(publication, owner), origin);
    }
  }

  /** Tells every service that a session published to. Throws when one could not be told. */
  async tellServices(
    sessionId: string,
    namespaceId: string,
    tell: (ref: ServiceRef, owner: string) => Promise<void>,
  ): Promise<void> {
    const services = new Map<string, ServiceRef>();
    for (const { groupName, serviceName } of this.#store.publications(sessionId)) {
      const ref = { namespaceId, groupName, serviceName };
      services.set(serviceObjectName(ref), ref);
    }
    const owner = ownerName(this.#objectName, sessionId);
    await Promise.all([...services.values()].map(async (ref) => tell(ref, owner)));
  }

  async #put(
    session: Session,
    ref: ServiceRef,
    publication: Publication,
    old: Publication | undefined,
  ): Promise<Result<null>> {
    const metadata = new Map(Object.entries(publication.metadata));
    const length = metadataLength(metadata);
    if (length > MAX_METADATA_LENGTH)
      return fail("metadataInvalid", tooLongText("Metadata", MAX_METADATA_LENGTH, length));
    const { sessionId } = session;
    const { groupName, serviceName } = ref;
    const row = { sessionId, groupName, serviceName };
    this.#store.putPublication({ ...row, publication });
    const owner = ownerName(this.#objectName, sessionId);
    const origin = { by: session.caller, cause: "register by socket" };
    const registered = await this.#service(ref).register(ref, registrationOf(publication, owner), origin);
    if (registered.ok) return succeed(null);
    if (old === undefined) this.#store.removePublication(row, publication);
    else this.#store.putPublication({ ...row, publication: old });
    return registered;
  }

  #find(sessionId: string, ref: ServiceRef, { ip, port, clusterName }: Address): Publication | undefined {
    const address = { ip: canonicalAddress(ip), port, clusterName: clusterName ?? DEFAULT_CLUSTER };
    return this.#store.publication({ sessionId, ...ref }, address);
  }

  #service(ref: ServiceRef): ReturnType<ObjectEnv["SERVICE"]["getByName"]> {
    return this.#env.SERVICE.getByName(serviceObjectName(ref));
  }
}
