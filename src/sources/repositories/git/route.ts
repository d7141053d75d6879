import type { Egress } from '../egress.ts';
import type { ProxySettings } from '../web/proxy.ts';
import type { Outside, Terms } from '../web/request.ts';
import type { Trust } from '../web/trust.ts';
import type { GitAccess } from './command.ts';
import type { LocalReach } from './local-reach.ts';
import type { Tokens } from './tokens.ts';

/** The permitted sources: addresses of the network, and folders of this machine. */
export type Reach = Egress & LocalReach;

/** The dependencies of every route to a repository. */
export type GitEnvironment = {
  readonly reach: Reach;
  /** The trusted authorities and host keys at this moment. */
  readonly trust: () => Trust;
  readonly proxy: ProxySettings;
  /** Whether git supports connecting only to given addresses. */
  readonly pins: boolean;
  /** A folder of ours for files of one run. */
  readonly home: string;
  readonly tokens: Tokens;
};

/**
 * The route of git to one repository. `location` is its argument on the command line; it contains no secret. `use`
 * prepares the environment of the run and removes it afterwards: keys are on disk only within it.
 */
export type GitRoute = {
  readonly location: string;
  use<Value>(work: (access: GitAccess) => Promise<Value>): Promise<Value>;
};

/**
 * The same for an HTTP repository, for callers that connect to its host without git. `authorization` is for that host
 * alone.
 */
export type WebWay = {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly outside: Outside;
  readonly terms: Terms;
};
