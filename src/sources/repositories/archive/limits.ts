/** What charts and artifacts may cost. */
export type ArchiveLimits = {
  /** How long one answer of a chart repository or a registry may take, and one download. */
  readonly askMs: number;
  readonly downloadMs: number;
  /** Bytes of a chart repository's index (HRP-1), and of an index of unusual form, which is read as a whole. */
  readonly indexBytes: number;
  readonly oddIndexBytes: number;
  /** Bytes of an archive as it is downloaded. */
  readonly archiveBytes: number;
  /** compat HRP-4: what a chart may hold, and one file of it. */
  readonly chartBytes: number;
  readonly chartFileBytes: number;
  /** compat OCI-5. */
  readonly artifactBytes: number;
  readonly archiveEntries: number;
  /** compat HRP-5: how long a chart is taken to be what it was. */
  readonly chartAgeMs: number;
  /** What all archives together may weigh on disk, and how long one is kept that nobody asks for. */
  readonly archivesBytes: number;
  readonly archiveIdleMs: number;
  /** Tags that one repository of a registry may have. */
  readonly tags: number;
  /** Bytes of a value file from elsewhere. */
  readonly valuesBytes: number;
};

/** What the installation says about archives, at this moment; what it leaves out is as we would have it. */
export type ArchiveRules = {
  /** Bytes of a chart and of an artifact when unpacked; 0: no limit beside those that always hold. */
  readonly chartBytes?: number;
  readonly artifactBytes?: number;
  /** compat OCI-3: the media types that content may have. */
  readonly mediaTypes?: readonly string[];
};

/** The lower of a limit that always holds and one that an installation may set. */
export const lower = (always: number, set: number | undefined): number =>
  set ? Math.min(always, set) : always;

const MiB = 1024 * 1024;

export const defaultArchiveLimits: ArchiveLimits = {
  askMs: 30_000,
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
