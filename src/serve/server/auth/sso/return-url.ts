/** Our public addresses: `url` and `additionalUrls`. */
export type PublicUrls = readonly string[];

/** compat server §4.4: of our addresses that of the request's Host, else the first; undefined when there is none. */
export function baseFor(urls: PublicUrls, host: string | undefined): string | undefined {
  const usable = urls.filter((url) => /^https?:/i.test(url) && URL.canParse(url));
  const own = usable.find((url) => new URL(url).host === host?.toLowerCase());
  return (own ?? usable[0])?.replace(/\/+$/, '');
}

/**
 * Where a browser continues after its login: an address below one of ours, given whole or as a path. Undefined for any other: a
 * login must not send people to another site.
 */
export function returnUrlOf(wanted: string, base: string, urls: PublicUrls): string | undefined {
  if (wanted === '') return `${base}/applications`;
  if (!URL.canParse(wanted, `${base}/`)) return undefined;
  const url = new URL(wanted, `${base}/`);
  const isOurs = [base, ...urls].some((one) => URL.canParse(one) && isBelow(url, new URL(one)));
  return isOurs && url.username === '' && url.password === '' ? url.href : undefined;
}

function isBelow(url: URL, base: URL): boolean {
  const prefix = base.pathname.replace(/\/+$/, '');
  const isInside = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  return url.protocol === base.protocol && url.host === base.host && isInside;
}
