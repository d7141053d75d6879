/**
 * # source: a repository and a revision in, a tree of files out
 *
 * Three kinds of sources have one interface: Git repositories, charts (of repositories with an index, or of
 * registries), and artifacts of registries. Their revisions are commits, versions and digests.
 *
 * There is one bare mirror for each repository and no checkout. Files are read from Git's objects by long-running
 * programs; folders that two commits share are read once and kept once. Git is the machine's own.
 *
 * It promises:
 *
 * 1. **A commit is read as it is.** No line ends are converted, no attributes applied, no filters run (sources VFT-3).
 * 2. **Readers never wait for a fetch**, nor for another revision. Fetches into one mirror run one at a time.
 * 3. **A mirror is complete or it is recreated.** It appears by a rename, a fetch arrives as one pack, locks of a
 *    killed process are removed, and a damaged mirror is deleted and fetched again.
 * 4. **Requests are shared.** For any number of callers, one list of refs and one fetch of a commit are in flight for
 *    each repository and credential. A caller that cancels does not end it for the others.
 * 5. **A mirror is shared, the right to read it is not.** Credentials must first prove that the server accepts them.
 * 6. **Git sees nothing of this machine**: no user's or system's configuration, no hooks, no prompts, no helper, and no
 *    protocol but the one the URL names. Credentials reach only the programs that speak to the host, never an argument.
 *    Refs are listed without git only from a host that has accepted git, by the same rules and with the same
 *    credentials.
 * 7. **Untrusted names are never arguments.** Git and ssh receive hashes, names that the server advertised, and a
 *    checked URL.
 * 8. **Only permitted sources are accessed** (decision 29): folders of this machine by their real path, with all that
 *    Git reads for them, and addresses by the table of the room `http`; the address that was checked is the one
 *    connected to, on every hop; Git follows no redirects. Behind a proxy the proxy's own address is checked, and the
 *    host as far as it resolves here.
 * 9. **Keys are on disk only while a program needs them**, in a folder only this user can enter, and an ssh host is
 *    trusted only by its known key. Credentials of a repository go to its own server and nowhere else: not along with a
 *    submodule to another host, not with a large file to where it is stored.
 * 10. **A tree is complete or it is an error.** Submodules are filled with the commits they name; a large file is its
 *    content, checked by size and hash, where the repository enables it, and else the pointer, with a warning.
 * 11. **An archive is bounded.** A download is limited, checked against the digest that was announced, and named by its
 *    own; it is unpacked by what its headers announce, before that is read; nothing in it leads out of it, and nothing
 *    in it is a device.
 * 12. **Credentials are sent to one origin.** They do not follow a redirect, nor go to where an index or a registry
 *    keeps its files, unless the source allows it. Data fetched under one login is not shared with another.
 * 13. **Indexes may be large.** One is on disk, and only the part of the requested chart is read.
 *
 * 14. **A push is one commit on top of the branch**, with credentials that were declared for writing, never by force and never
 *    twice: the same draft is the same commit, and a branch that moved is reported, not overwritten (decision 56).
 *
 * It refuses to run filters, hooks or anything a repository brings, and to print a URL with its user.
 */

export type { ArchiveLimits, ArchiveRules } from './archive/limits.ts';
export { openUpload, type Upload } from './archive/open-upload.ts';
export type { ChartArchive } from './chart-sources.ts';
export { isWithin } from './choose-version.ts';
export { branchRef } from './git/branch-name.ts';
export type { WorkloadIdentity } from './git/cloud-token.ts';
export type { CommitDetails } from './git/commit.ts';
export type { Demand } from './git/integrity.ts';
export type { SourceLimits } from './git/limits.ts';
export { type DescribedKey, describeKeys } from './git/openpgp/describe-keys.ts';
export type { PushResult } from './git/push.ts';
export type { Refs } from './git/refs.ts';
export type { RefAge } from './git/remote-refs.ts';
export type { GitRepository } from './git/repository.ts';
export type { Reach } from './git/route.ts';
export { lentRepository } from './git/submodule-url.ts';
export { type GithubApp, Tokens } from './git/tokens.ts';
export type { SourceObserver } from './observe.ts';
export {
  createSources,
  type FileTreeOptions,
  type PushRequest,
  type ResolvedRevision,
  type RevisionDetails,
  type RevisionOptions,
  type Sources,
  type SourcesConfig,
} from './resolve.ts';
export type { SourceRepository } from './source-repository.ts';
export { ConnectionPool as KeptConnections } from './web/connection-pool.ts';
export { type DialedHost, dialHost } from './web/dial-host.ts';
export { machineTrust } from './web/machine.ts';
export type { ProxySettings } from './web/proxy.ts';
export {
  fetchWeb,
  type Outside,
  openWeb,
  type WebAnswer,
  type WebRequest,
  type WebStream,
} from './web/request.ts';
export type { Trust } from './web/trust.ts';
