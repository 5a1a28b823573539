import { exports } from "cloudflare:workers";

/** Parameters by name, encoded on the way; or a text that is sent exactly as it stands. */
export type Sent = Readonly<Record<string, string>> | string;

/** What goes with a request beside its method and path. */
export interface RequestParts {
  readonly query?: Sent;
  readonly form?: Sent;
  /** A body of another kind than a form; it is sent as it stands. */
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
  readonly headers: Headers;
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded" };

function encode(sent: Sent): string {
  return typeof sent === "string" ? sent : new URLSearchParams(sent).toString();
}

/** Sends a request to the worker, as a client does. */
export async function send(method: string, path: string, request: RequestParts = {}): Promise<Answer> {
  const query = request.query === undefined ? "" : encode(request.query);
  const form = request.form === undefined ? undefined : encode(request.form);
  const body = form ?? request.body;
  const response = await exports.default.fetch(`http://nacre${path}${query === "" ? "" : `?${query}`}`, {
    method,
    redirect: "manual",
    headers: { ...(form === undefined ? {} : FORM_HEADERS), ...request.headers },
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    body: await response.text(),
    headers: response.headers,
  };
}

/** Sends a request to `/nacos/v1/ns`. */
export function sendNaming(method: string, path: string, request: RequestParts = {}): Promise<Answer> {
  return send(method, `/nacos/v1/ns${path}`, request);
}

/** The JSON of an answer. */
export function parseBody(answer: Answer): unknown {
  return JSON.parse(answer.body);
}

/** An answer in short, for comparing a whole one: status, kind and text. */
export function summarize({ status, contentType, body }: Answer): Omit<Answer, "headers"> {
  return { status, contentType, body };
}

/** The `ok` that answers every write of v1. */
export const OK = { status: 200, contentType: "text/plain;charset=UTF-8", body: "ok" } as const;

/** A refusal in v1's form: bare text. */
export function refusal(body: string, status = 400): Omit<Answer, "headers"> {
  return { status, contentType: "text/plain;charset=UTF-8", body };
}

/** A name that no other test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
}
