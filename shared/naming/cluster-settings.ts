import { DEFAULT_HEALTH_CHECKER, type HealthChecker } from "./health-checker.ts";
import { NO_METADATA, sameMetadata, type Metadata } from "./metadata.ts";

/** What `/cluster` sets. */
export interface ClusterSettings {
  readonly healthChecker: HealthChecker;
  /** Probed instead of the instance's own port when `usesInstancePort` is false. */
  readonly checkPort: number;
  readonly usesInstancePort: boolean;
  readonly metadata: Metadata;
}

const DEFAULT_CHECK_PORT = 80;

export const DEFAULT_CLUSTER_SETTINGS: ClusterSettings = {
  healthChecker: DEFAULT_HEALTH_CHECKER,
  checkPort: DEFAULT_CHECK_PORT,
  usesInstancePort: true,
  metadata: NO_METADATA,
};

/** Whether two settings answer alike. */
export function sameClusterSettings(a: ClusterSettings, b: ClusterSettings): boolean {
  return (
    a.checkPort === b.checkPort &&
    a.usesInstancePort === b.usesInstancePort &&
    JSON.stringify(a.healthChecker) === JSON.stringify(b.healthChecker) &&
    sameMetadata(a.metadata, b.metadata)
  );
}
