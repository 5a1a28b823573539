/** Writes one structured line. Objects and worker log faults only: a line a beat would be the largest bill. */
export function logFault(
  event: string,
  error: unknown,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  // oxlint-disable-next-line no-console -- the one place that logs
  console.error(JSON.stringify({ level: "error", event, message, stack, ...fields }));
}
