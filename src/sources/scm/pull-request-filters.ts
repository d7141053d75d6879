import { compiled } from './repository-filters.ts';
import type { PullRequest } from './scm-host.ts';

/** One entry of pullRequest.filters, as users write it. */
export type PullRequestFilterSpec = {
  readonly branchMatch?: string;
  readonly targetBranchMatch?: string;
  readonly titleMatch?: string;
};

/**
 * compat sources ASP-1: conditions of one entry are joined by AND, entries by OR; without entries every pull request passes.
 * Throws InvalidSpec with the entry and its field for a pattern that Go's regexp rejects.
 */
export function compilePullRequestFilters(
  filters: readonly PullRequestFilterSpec[],
): (pullRequest: PullRequest) => boolean {
  const entries = filters.map(({ branchMatch, targetBranchMatch, titleMatch }, index) => ({
    branch: compiled(branchMatch, `filters[${index}].branchMatch`),
    target: compiled(targetBranchMatch, `filters[${index}].targetBranchMatch`),
    title: compiled(titleMatch, `filters[${index}].titleMatch`),
  }));
  if (entries.length === 0) return () => true;
  return ({ branch, targetBranch, title }) =>
    entries.some(
      (entry) =>
        (entry.branch?.test(branch) ?? true) &&
        (entry.target?.test(targetBranch) ?? true) &&
        (entry.title?.test(title) ?? true),
    );
}
