import type { Paging } from './host-api.ts';

const itself = (value: unknown): unknown => value;

/** GitHub and Gitea: the `page` of the URL with `rel="next"` in the header Link. The URL itself is not followed. */
export const byLink: Paging = {
  items: itself,
  next({ headers }, query) {
    const link = typeof headers.link === 'string' ? headers.link : '';
    for (const part of link.split(',')) {
      const [, target = ''] = /<([^>]*)>[^,]*;\s*rel="?next"?/.exec(part) ?? [];
      const page = URL.canParse(target) ? new URL(target).searchParams.get('page') : null;
      if (page !== null && /^\d+$/.test(page)) return { ...query, page };
    }
    return undefined;
  },
};

/** GitLab: the number of the next page in a header; empty on the last. */
export const byNextPage: Paging = {
  items: itself,
  next({ headers }, query) {
    const page = headers['x-next-page'];
    return typeof page === 'string' && /^\d+$/.test(page) ? { ...query, page } : undefined;
  },
};
