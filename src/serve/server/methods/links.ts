import type { Settings } from '#base/model';
import { FairleadError } from '#base/std';
import { compileExpr } from '#lang/expr';
import { applicationSetFunctions, compileTemplate } from '#lang/go-template';
import type { LinkList } from '#serve/api';

type Links = Settings['links']['application'];

/** The objects that a link's template and condition may read, by name. They must be masked. */
export type LinkObjects = Readonly<Record<string, unknown>>;

/**
 * compat server §2.8: the links whose condition holds, with their URLs filled in. One that cannot be evaluated, or that
 * does not lead to a web page, is left out and reported to `onProblem`; the others stay.
 */
export function evaluateLinks(
  links: Links,
  objects: LinkObjects,
  onProblem: (title: string, problem: string) => void,
): LinkList {
  const items = links.flatMap((link) => {
    try {
      if (link.if !== undefined && !isTrue(link.if, objects)) return [];
      const url = urlOf(link.url, objects);
      const { title, description, iconClass } = link;
      return [{ title, url, ...(description && { description }), ...(iconClass && { iconClass }) }];
    } catch (error) {
      onProblem(link.title, FairleadError.from(error).message);
      return [];
    }
  });
  return { items };
}

function isTrue(condition: string, objects: LinkObjects): boolean {
  const result = compileExpr(condition).run(objects);
  if (typeof result === 'boolean') return result;
  throw new FairleadError('RenderFailed', `link condition '${condition}' evaluated to a non-boolean`);
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Parts of objects end up in the URL, so it is checked after they are in: `javascript:` runs in the page. */
function urlOf(text: string, objects: LinkObjects): string {
  const url = compileTemplate('deep-link', text, { functions: applicationSetFunctions })
    .execute(objects)
    .trim();
  const { protocol } = parsed(url);
  if (schemes.has(protocol)) return url;
  throw new FairleadError('RenderFailed', `the link leads to ${protocol}, not to a web page`);
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new FairleadError('RenderFailed', `not a URL: ${url.slice(0, 200)}`);
  }
}
