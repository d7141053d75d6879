/**
 * # scm: an organization or a repository of a Git host in, its repositories or pull requests out
 *
 * The clients of the generators scmProvider and pullRequest (contract sources 5.2). One file of `hosts/` for each provider.
 *
 * It promises:
 *
 * 1. **All or nothing.** A list is complete, or an error: a failed request never makes a list shorter, because what is
 *    missing from it would be deleted.
 * 2. **Only permitted addresses are connected to**, by the rules and through the proxies of the room `repositories`; the
 *    address that was checked is the one connected to.
 * 3. **Credentials are sent to one origin.** A redirect is followed within it only; a next page is requested by its number,
 *    never by the URL that the host names. No error and no log contains them.
 * 4. **Names are segments.** No organization, repository, branch or path leads to another resource of the API.
 * 5. **A host cannot hold a generator up.** Each response is limited in size and time, each list in pages, each generator in
 *    requests and time. A host that limits requests is not requested again before the time it names, an hour at most; the
 *    error names that time.
 * 6. **An unchanged host costs little.** Responses with an entity tag are requested conditionally, and the paths of a commit
 *    once.
 *
 * It writes to no host, and it does not retry: its caller does.
 */
export { ScmClient } from './client.ts';
export type { HostReading } from './host-api.ts';
export { listPullRequests } from './list-pull-requests.ts';
export { listRepositories } from './list-repositories.ts';
export type { ScmDeps } from './scm-host.ts';
