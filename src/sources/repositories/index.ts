/**
 * # source: a repository and a revision in, a tree of files out
 *
 * Three kinds of sources look alike from here: Git repositories, charts (of repositories with an index, or of
 * registries), and artifacts of registries. Their revisions are commits, versions and digests.
 *
 * There is one bare mirror for each repository and no checkout. Files are read from Git's objects by programs that
 * stay; what two commits have in common is read once and held once. Git is the machine's own.
 *
 * It promises:
 *
 * 1. **A commit is read as it is.** No line ends are turned, no attributes obeyed, no filters run (VFT-3).
 * 2. **Readers never wait for a fetch**, nor for another revision. Fetches into one mirror take turns.
 * 3. **A mirror is whole or it is made anew.** It appears by a rename, a fetch arrives as one pack, locks of a killed
 *    process are cleared, and a mirror that turns out damaged is thrown away and fetched again.
 * 4. **Asking is shared.** However many want to know, one list of refs and one fetch of a commit are under way for
 *    each repository and credential. A caller that leaves does not end it for the others.
 * 5. **A mirror is shared, the right to read it is not.** Whoever reads shows first that the other side lets them in.
 * 6. **Git sees nothing of this machine**: no user's or system's configuration, no hooks, no prompts, no helper, and no
 *    protocol but the one the URL names. Credentials reach only the programs that speak to the host, never an argument. A host is
 *    asked for its refs without git only after it has let git in, by the same rules and with the same words about us.
 * 7. **Names of strangers are never arguments.** Git and ssh are given hashes, names that the server advertised, and a
 *    checked URL.
 * 8. **Only permitted places are reached** (decision 29): folders of this machine by their real path, with all that Git reads
 *    for them, and addresses by the table of the room `http`; the address that was checked is the one connected to, on every
 *    hop; Git follows no redirects. Behind a proxy the proxy's own address is checked, and the host as far as it can be found
 *    from here.
 * 9. **Keys lie on the disk only while a program needs them**, in a folder nobody else can enter, and an ssh host is
 *    believed only by its known key. Credentials of a repository go to its own server and nowhere else: not along with
 *    a submodule to another host, not with a large file to where it is stored.
 * 10. **A tree is complete or it is an error.** Submodules are filled with the commits they name; a large file is its
 *    content, checked by size and hash, where the repository says so, and else the pointer, which is told.
 * 11. **An archive is never more than it may be.** What is downloaded is bounded, checked against the digest that was
 *    announced, and named by its own; it is unpacked by what its headers announce, before that is read; nothing in it
 *    leads out of it, and nothing in it is a device.
 * 12. **Who we are is said to one origin.** It does not go along with a redirect, nor to where an index or a registry
 *    keeps its files, unless the source says so. What was got under one login is not shown to another.
 * 13. **Indexes are as large as they like.** One lies on the disk, and only the part that speaks of a chart is read.
 *
 * It refuses to write to a repository, to run filters or anything a repository brings, and to print a URL with its user.
 */

export type { ArchiveLimits, ArchiveRules } from './archive/limits.ts';
export type { ChartArchive } from './chart-sources.ts';
export { isWithin } from './choose-version.ts';
export type { WorkloadIdentity } from './git/cloud-token.ts';
export type { CommitDetails } from './git/commit.ts';
export type { Demand } from './git/integrity.ts';
export type { SourceLimits } from './git/limits.ts';
export type { Refs } from './git/refs.ts';
export type { RefAge } from './git/remote-refs.ts';
export type { GitRepository } from './git/repository.ts';
export type { Reach } from './git/route.ts';
export { lentRepository } from './git/submodule-url.ts';
export type { SourceObserver } from './observe.ts';
export {
  createSources,
  type FileTreeOptions,
  type ResolvedRevision,
  type RevisionDetails,
  type RevisionOptions,
  type Sources,
  type SourcesConfig,
} from './resolve.ts';
export type { SourceRepository } from './source-repository.ts';
export { machineTrust } from './web/machine.ts';
export type { ProxySettings } from './web/proxy.ts';
export type { Trust } from './web/trust.ts';
