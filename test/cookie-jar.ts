import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export type Page = {
  readonly status: number;
  readonly url: string;
  readonly location: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

type Sending = {
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a browser does without a screen: cookies by host, forms, and redirects one at a time. */
export class CookieJar {
  readonly cookies = new Map<string, string>();
  readonly #ca: string;

  constructor(ca: string) {
    this.#ca = ca;
  }

  async ask(address: string, { form, json, method, headers = {} }: Sending = {}): Promise<Page> {
    const url = new URL(address);
    const body = form
      ? String(new URLSearchParams(form))
      : json === undefined
        ? undefined
        : JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const options = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { accept: 'text/html', 'content-type': type, cookie: this.#cookiesFor(url), ...headers },
      agent: false as const,
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, ca: this.#ca }, resolve)
          : httpRequest(url, options, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
    let text = '';
    for await (const chunk of answer) text += chunk;
    this.#keep(url, answer.headers['set-cookie'] ?? []);
    const { location } = answer.headers;
    const target = location && new URL(location, url).href;
    return { status: answer.statusCode ?? 0, url: url.href, location: target, headers: answer.headers, text };
  }

  /** Follows redirects until a page, or until the next address matches. */
  async follow(address: string, until?: RegExp): Promise<Page> {
    let page = await this.ask(address);
    for (let steps = 0; page.location && steps < 20; steps++) {
      if (until?.test(page.location)) return page;
      page = await this.ask(page.location);
    }
    return page;
  }

  #cookiesFor({ host }: URL): string {
    return [...this.cookies]
      .filter(([key]) => key.startsWith(`${host} `))
      .map(([key, value]) => `${key.slice(host.length + 1)}=${value}`)
      .join('; ');
  }

  #keep({ host }: URL, set: readonly string[]): void {
    for (const cookie of set) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      const key = `${host} ${pair.slice(0, at).trim()}`;
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) this.cookies.delete(key);
      else this.cookies.set(key, pair.slice(at + 1));
    }
  }
}

/** Logs in at the provider, as a person would, and consents; ends before the callback is sent. */
export async function logInAtProvider(jar: CookieJar, start: string, account: string): Promise<Page> {
  const isBack = /\/auth\/callback\?/;
  let page = await jar.follow(start, isBack);
  for (let forms = 0; !page.location && forms < 3; forms++) {
    const action = /action="([^"]+)"/.exec(page.text)?.[1];
    if (!action) break;
    const isLogin = page.text.includes('name="login"');
    const form = isLogin ? { prompt: 'login', login: account, password: 'any' } : { prompt: 'consent' };
    const sent = await jar.ask(new URL(action, page.url).href, { form });
    page = sent.location && !isBack.test(sent.location) ? await jar.follow(sent.location, isBack) : sent;
  }
  if (page.location) return page;
  throw new Error(`no way back from ${page.url}: ${page.status} ${page.text.slice(0, 800)}`);
}
