import { test } from "vitest";
import { VERSION } from "../../../../shared/version.ts";
import { parseBody, send, summarize } from "../../../support/http.ts";

test("W5: the state of the server, all of it text", async ({ expect }) => {
  const answer = await send("GET", "/nacos/v1/console/server/state");
  expect([answer.status, answer.contentType]).toEqual([200, "application/json;charset=UTF-8"]);
  expect(parseBody(answer)).toEqual({
    startup_mode: "standalone",
    standalone_mode: "standalone",
    function_mode: "naming",
    version: VERSION,
    server_port: "443",
    auth_enabled: "false",
    auth_system_type: "nacos",
    auth_admin_request: "false",
    login_page_enabled: "false",
    console_ui_enabled: "false",
  });
});

test.for(["liveness", "readiness"])("W5: the %s probe", async (probe, { expect }) => {
  expect(summarize(await send("GET", `/nacos/v1/console/health/${probe}`))).toEqual({
    status: 200,
    contentType: "text/plain;charset=UTF-8",
    body: "OK",
  });
});
