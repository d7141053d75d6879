import { isObject } from '#base/std';
import type { Paging, Query } from './host-api.ts';

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

const valuesOf = (value: unknown): unknown => (isObject(value) ? value.values : undefined);

/** Bitbucket Cloud: the query of the URL `next`, as pages of some lists are named by hashes. */
export const byNextUrl: Paging = {
  items: valuesOf,
  next({ value }, query) {
    const next = isObject(value) && typeof value.next === 'string' ? value.next : '';
    if (!URL.canParse(next)) return undefined;
    const { searchParams } = new URL(next);
    const page = searchParams.get('page');
    return page === null ? undefined : { ...query, page };
  },
};

/** Bitbucket Server: the number of the first item of the next page. */
export const byStart: Paging = {
  items: valuesOf,
  next({ value }, query): Query | undefined {
    if (!isObject(value) || value.isLastPage !== false) return undefined;
    const { nextPageStart: start } = value;
    return typeof start === 'number' ? { ...query, start: `${start}` } : undefined;
  },
};
