import type { HostLimits } from './host-limit.ts';

/** Limits of sources. */
export type SourceLimits = {
  /** Timeouts of listing refs, and of one fetch (sources GIT-12). */
  readonly listMs: number;
  readonly fetchMs: number;
  /** Timeout of git for reading an object. */
  readonly readMs: number;
  /** Concurrent fetches, of all repositories that are not on this machine. */
  readonly fetches: HostLimits;
  /** Attempts per request to the server (sources GIT-7). */
  readonly attempts: number;
  /** Address space of git, and of each program that it starts. */
  readonly gitMemoryMb: number;
  /** Size limit of one fetch, in bytes. */
  readonly packBytes: number;
  readonly fileBytes: number;
  readonly treeEntries: number;
  /** Bytes of folder listings in memory, of all repositories together. */
  readonly treeMemory: number;
  /** Programs that read objects, of all repositories together, and how long an idle one is kept. */
  readonly openReaders: number;
  readonly readerIdleMs: number;
  /** Submodules within submodules, and how many there may be in all. */
  readonly submoduleDepth: number;
  readonly submodules: number;
  /** Bytes of large files that one tree may download. */
  readonly lfsBytes: number;
  /** Size of all mirrors together, and how long an unused one is kept. */
  readonly mirrorBytes: number;
  readonly mirrorIdleMs: number;
};

export const defaultLimits: SourceLimits = {
  listMs: 15_000,
  fetchMs: 90_000,
  fetches: { quick: 16, suspect: 1, slow: 64, slowMs: 250 },
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
