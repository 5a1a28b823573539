/** Past this many clients that wait for a change, a list is answered at once: each holds a request open. */
export const MAX_WAITERS = 1_000;

/**
 * Clients that wait for a service to change (HTTP long polling). A wait is a timer of a request that is open anyway, so it
 * holds the object in memory no longer than that request does.
 */
export class ListWaiters {
  readonly #waiting = new Set<AbortController>();

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return this.#waiting.size < MAX_WAITERS;
  }

  /** Waits until {@link wake} is called, or for so many milliseconds. */
  async wait(millis: number): Promise<void> {
    const controller = new AbortController();
    this.#waiting.add(controller);
    try {
      await scheduler.wait(millis, { signal: controller.signal });
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      this.#waiting.delete(controller);
    }
  }

  /** Ends all waits. */
  wake(): void {
    for (const controller of this.#waiting) controller.abort();
  }
}
