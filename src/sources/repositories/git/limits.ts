import type { HostLimits } from './host-limit.ts';

/** What sources may cost. */
export type SourceLimits = {
  /** How long listing refs may take, and one fetch (GIT-12). */
  readonly listMs: number;
  readonly fetchMs: number;
  /** How long git may keep those waiting who read an object. */
  readonly readMs: number;
  /** Fetches at a time, of all repositories that are not on this machine. */
  readonly fetches: HostLimits;
  /** Tries for one conversation with the other side (GIT-7). */
  readonly attempts: number;
  /** Address space of git, and of each program that it starts. */
  readonly gitMemoryMb: number;
  /** Bytes that one fetch may bring. */
  readonly packBytes: number;
  readonly fileBytes: number;
  readonly treeEntries: number;
  /** Bytes of folder listings in memory, of all repositories together. */
  readonly treeMemory: number;
  /** Programs that read objects, of all repositories together, and how long one stays that nothing is read from. */
  readonly openReaders: number;
  readonly readerIdleMs: number;
  /** Submodules within submodules, and how many there may be in all. */
  readonly submoduleDepth: number;
  readonly submodules: number;
  /** Bytes of large files that one tree may bring from elsewhere. */
  readonly lfsBytes: number;
  /** What all mirrors together may weigh, and how long one is kept that nobody asks for. */
  readonly mirrorBytes: number;
  readonly mirrorIdleMs: number;
};

export const defaultLimits: SourceLimits = {
  listMs: 15_000,
  fetchMs: 90_000,
  fetches: { quick: 64, slow: 128, slowMs: 250 },
  readMs: 60_000,
  attempts: 1,
  gitMemoryMb: 3072,
  packBytes: 5 * 1024 * 1024 * 1024,
  fileBytes: 100 * 1024 * 1024,
  treeEntries: 1_000_000,
  treeMemory: 128 * 1024 * 1024,
  openReaders: 64,
  readerIdleMs: 60_000,
  submoduleDepth: 10,
  submodules: 100,
  lfsBytes: 1024 * 1024 * 1024,
  mirrorBytes: 20 * 1024 * 1024 * 1024,
  mirrorIdleMs: 7 * 24 * 3_600_000,
};
