/** Limits of charts and artifacts. */
export type ArchiveLimits = {
  /** Timeout of one response of a chart repository or a registry, and of one download. */
  readonly requestMs: number;
  readonly downloadMs: number;
  /** Bytes of a chart repository's index (sources HRP-1), and of an index of unusual form, which is read as a whole. */
  readonly indexBytes: number;
  readonly oddIndexBytes: number;
  /** Bytes of an archive as it is downloaded. */
  readonly archiveBytes: number;
  /** compat sources HRP-4: the size of a chart, and of one file of it. */
  readonly chartBytes: number;
  readonly chartFileBytes: number;
  /** compat sources OCI-5. */
  readonly artifactBytes: number;
  readonly archiveEntries: number;
  /** compat sources HRP-5: how long a downloaded chart is reused. */
  readonly chartAgeMs: number;
  /** Size of all archives on disk, and how long an unused one is kept. */
  readonly archivesBytes: number;
  readonly archiveIdleMs: number;
  /** Tags that one repository of a registry may have. */
  readonly tags: number;
  /** Bytes of a value file from a URL. */
  readonly valuesBytes: number;
};

/** The installation's current settings for archives; defaults apply where one is left out. */
export type ArchiveRules = {
  /** Bytes of a chart and of an artifact when unpacked; 0: only the fixed limits apply. */
  readonly chartBytes?: number;
  readonly artifactBytes?: number;
  /** compat sources OCI-3: the allowed media types of content. */
  readonly mediaTypes?: readonly string[];
};

/** The lower of the fixed limit and the one that the installation sets. */
export const lower = (always: number, set: number | undefined): number =>
  set ? Math.min(always, set) : always;

const MiB = 1024 * 1024;

export const defaultArchiveLimits: ArchiveLimits = {
  requestMs: 30_000,
  downloadMs: 120_000,
  indexBytes: 1024 * MiB,
  oddIndexBytes: 32 * MiB,
  archiveBytes: 1024 * MiB,
  chartBytes: 100 * MiB,
  chartFileBytes: 5 * MiB,
  artifactBytes: 1024 * MiB,
  archiveEntries: 100_000,
  chartAgeMs: 24 * 3_600_000,
  archivesBytes: 10 * 1024 * MiB,
  archiveIdleMs: 7 * 24 * 3_600_000,
  tags: 200_000,
  valuesBytes: 5 * MiB,
};
