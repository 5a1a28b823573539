import { test } from "vitest";
import { ERROR_CODES, type ErrorName } from "../../../shared/errors.ts";
import { encodeFailure } from "../../../worker/codecs/nacos-v1.ts";

const PAGES: Partial<Record<ErrorName, { status: number; error: string }>> = {
  groupedNameInvalid: { status: 400, error: "Bad Request" },
  noSuchApi: { status: 501, error: "Not Implemented" },
  pathUnknown: { status: 404, error: "Not Found" },
  upgradeRequired: { status: 426, error: "Upgrade Required" },
  methodNotAllowed: { status: 405, error: "Method Not Allowed" },
};

const TEXT_STATUSES: Partial<Record<ErrorName, number>> = {
  resourceNotFound: 404,
  instanceNotFound: 404,
  payloadTooLarge: 413,
  unavailable: 503,
};

function isErrorName(name: string): name is ErrorName {
  return name in ERROR_CODES;
}

const NAMES = Object.keys(ERROR_CODES).filter(isErrorName);

test.for(NAMES.filter((name) => PAGES[name] === undefined))(
  "W10: the refusal %s is bare text",
  async (name, { expect }) => {
    const response = encodeFailure({ name, message: "why" }, "/v1/ns/instance", 0);
    expect(response.status).toBe(TEXT_STATUSES[name] ?? 400);
    expect(response.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(await response.text()).toBe(name === "kindConflict" ? "errCode: 400, errMsg: why " : "why");
  },
);

test.for(NAMES.filter((name) => PAGES[name] !== undefined))(
  "W6: the refusal %s is a JSON page",
  async (name, { expect }) => {
    const response = encodeFailure({ name, message: "why" }, "/v1/ns/x", 1_700_000_000_123);
    expect(response.status).toBe(PAGES[name]?.status);
    expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
    expect(await response.json()).toEqual({
      timestamp: "2023-11-14T22:13:20.123+00:00",
      ...PAGES[name],
      message: "why",
      path: "/v1/ns/x",
    });
  },
);
