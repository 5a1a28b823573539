/** Milliseconds since 1970 by the wall clock. Read once per call; tests replace it and move it by hand. */
export type Clock = () => number;
