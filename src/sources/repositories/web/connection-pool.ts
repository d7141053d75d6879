import { createHash } from 'node:crypto';
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as SecureAgent } from 'node:https';

/** How long an idle connection is kept: less than most servers keep theirs, so that they rarely end one first. */
const idleMs = 4_000;
/** Hosts and identities that connections are kept for at the same time. */
const mostOwners = 32;

/** The agent that provides the connection of a request. */
type Source = { readonly agent: Agent | false; readonly owner?: string };

/**
 * Connections that outlive a request for a few seconds. Only a request to the same addresses, on the same terms and
 * with the same credentials reuses one. An idle one does not keep the process alive.
 */
export class ConnectionPool {
  readonly #plain: Agent;
  readonly #secure: Agent;

  constructor(timeout = idleMs) {
    const kept: AgentOptions = { keepAlive: true, timeout, maxFreeSockets: 1 };
    this.#plain = byOwner(new Agent(kept));
    this.#secure = byOwner(new SecureAgent(kept));
  }

  sourceFor({ protocol }: URL, addresses: readonly string[], terms: readonly string[] = []): Source {
    const agent = protocol === 'https:' ? this.#secure : this.#plain;
    if (owners(agent.sockets) + owners(agent.freeSockets) >= mostOwners) return { agent: false };
    const owner = createHash('sha256')
      .update([addresses.join(), ...terms].join('\n'))
      .digest('hex');
    return { agent, owner };
  }

  /** Ends idle connections, and keeps no more: requests in flight are answered. */
  close(): void {
    for (const agent of [this.#plain, this.#secure]) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    }
  }
}

const owners = (sockets: object): number => Object.keys(sockets).length;

/** Node compares host, port, authorities, certificates and whether they are checked; we add the rest of the owner. */
function byOwner(agent: Agent): Agent {
  const named = agent.getName.bind(agent);
  agent.getName = (options?: ClientRequestArgs & Pick<Source, 'owner'>) =>
    `${named(options)}:${options?.owner}`;
  return agent;
}
