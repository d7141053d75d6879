import { join, resolve } from 'node:path';
import { FairleadError } from '#base/std';
import type { Reach } from '#sources/repositories';

/** What an operator lists, as flags or in the environment; each a comma-separated text. */
export type Listed = { readonly folders: string | undefined; readonly hosts: string | undefined };

/** The demo: the one folder below the data folder that is a repository. */
export const demoFolder = (dataDir: string): string => join(dataDir, 'demo');

/**
 * Which folders and addresses sources may be fetched from (decision 29). The embedded cluster is its user's own: any folder
 * of this machine and loopback may be used there. On any other cluster neither may, unless an operator lists it by name. The
 * data folder, which holds the mirrors of all repositories, is never a repository; the demo in it is one.
 */
export function chooseReach(isEmbedded: boolean, dataDir: string, listed: Listed): Reach {
  const folders = entriesOf(listed.folders).map((folder) => resolve(folder));
  const demo = isEmbedded ? [demoFolder(dataDir)] : [];
  return {
    local: isEmbedded && folders.length === 0 ? 'any' : [...folders, ...demo],
    never: [dataDir],
    except: demo,
    loopback: isEmbedded,
    hosts: entriesOf(listed.hosts).map(checkedHost),
  };
}

const entriesOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
const bareIpv6 = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

function checkedHost(entry: string): string {
  if (hostShape.test(entry) || bareIpv6.test(entry)) return entry;
  throw new FairleadError(
    'InvalidSpec',
    `--allow-hosts ${entry} is not a host: write names or addresses as they are in the URL, with a port where only that one is meant, as in git.internal,127.0.0.1:8080`,
  );
}
