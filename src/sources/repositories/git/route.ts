import type { Egress } from '../egress.ts';
import type { ProxySettings } from '../web/proxy.ts';
import type { Outside, Terms } from '../web/request.ts';
import type { Trust } from '../web/trust.ts';
import type { GitAccess } from './command.ts';
import type { LocalReach } from './local-reach.ts';
import type { Tokens } from './tokens.ts';

/** Which places may be fetched from: addresses of the network, and folders of this machine. */
export type Reach = Egress & LocalReach;

/** What every way to a repository needs of the house. */
export type GitEnvironment = {
  readonly reach: Reach;
  /** Whom to believe at this moment. */
  readonly trust: () => Trust;
  readonly proxy: ProxySettings;
  /** Whether git keeps to the addresses it is given. */
  readonly pins: boolean;
  /** A folder of ours where files for one run may be put. */
  readonly home: string;
  readonly tokens: Tokens;
};

/**
 * How git gets at one repository. `location` is what it is given on the command line; it holds no secret. `use` makes
 * ready what the run needs and clears it away afterwards: keys lie on the disk only within it.
 */
export type GitRoute = {
  readonly location: string;
  use<Value>(work: (access: GitAccess) => Promise<Value>): Promise<Value>;
};

/** The same for a repository of the web and whoever speaks to its host without git. `authorization` is for that host alone. */
export type WebWay = {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly outside: Outside;
  readonly terms: Terms;
};
