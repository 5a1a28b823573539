import { createApp } from "./app.ts";

export { ControlObject } from "../durable-objects/control-object.ts";
export { NamespaceObject } from "../durable-objects/namespace-object.ts";
export { ServiceObject } from "../durable-objects/service-object.ts";
export { SessionObject } from "../durable-objects/session-object.ts";

export default createApp();
