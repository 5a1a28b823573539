import { test } from "vitest";
import { sendNaming, parseBody, summarize, uniqueName } from "../../../support/http.ts";

const UP = { status: 200, contentType: "application/json;charset=UTF-8", body: '{"status":"UP"}' };

test.for(["/operator/metrics", "/ops/metrics"])(
  "S6: %s tells the status, and counts if they are asked for",
  async (path, { expect }) => {
    const before: { serviceCount: number; instanceCount: number } = JSON.parse(
      (await sendNaming("GET", path, { query: "onlyStatus=false" })).body,
    );
    const namespaceId = uniqueName("ns");
    for (const serviceName of ["a", "b"]) {
      await sendNaming("POST", "/instance", {
        query: { namespaceId, serviceName, ip: "10.0.0.1", port: "80" },
      });
    }
    expect(parseBody(await sendNaming("GET", path, { query: "onlyStatus=false" }))).toEqual({
      status: "UP",
      serviceCount: before.serviceCount + 2,
      instanceCount: before.instanceCount + 2,
    });
  },
);

test.for([
  { name: "absent", query: "", hasCounts: false },
  { name: "blank", query: "onlyStatus=", hasCounts: false },
  { name: "true", query: "onlyStatus=True", hasCounts: false },
  { name: "false", query: "onlyStatus=false", hasCounts: true },
  { name: "yes", query: "onlyStatus=yes", hasCounts: true },
])("W7: onlyStatus $name", async ({ query, hasCounts }, { expect }) => {
  const answer = summarize(await sendNaming("GET", "/operator/metrics", { query }));
  if (!hasCounts) expect(answer).toEqual(UP);
  else
    expect(JSON.parse(answer.body)).toEqual({
      status: "UP",
      serviceCount: expect.any(Number),
      instanceCount: expect.any(Number),
    });
});
