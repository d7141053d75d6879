import { decodeText } from '#base/model';
import { type Ctx, FairleadError, isObject, Lru, parseJson } from '#base/std';
import type { Outside } from '../web/request.ts';
import { bodyOf, refusal, visit } from '../web/visit.ts';
import { type Challenge, readChallenges } from './challenge.ts';
import type { RegistryRepository } from './registry-repository.ts';

type Held = { readonly authorization: string; readonly until: number };

/** The lifetime of a token without one, by the token specification. */
const shortestSeconds = 60;
const marginMs = 10_000;
const tokenBytes = 1024 * 1024;

/**
 * dev sources DEV-8: no user's docker configuration is read; a registry gets the credentials of its own record, or none.
 *
 * Authentication to registries: a login, a given token, or one that the registry's own token service issues.
 */
export class Admission {
  readonly #outside: () => Outside;
  readonly #ms: number;
  readonly #held = new Lru<Held>({ capacity: 10_000 });

  constructor(outside: () => Outside, ms: number) {
    this.#outside = outside;
    this.#ms = ms;
  }

  /** The authorization to send at once: the one required the last time, or that of the record; undefined: none. */
  known(ctx: Ctx, place: RegistryRepository): string | undefined {
    const held = this.#held.get(place.identity);
    if (held && held.until > ctx.clock.now().getTime()) return held.authorization;
    if (place.bearer) return place.bearer;
    return place.forceBasic ? place.basic : undefined;
  }

  /** The authorization that a registry requires after a refusal. Throws Auth when we have nothing it would accept. */
  async answer(ctx: Ctx, place: RegistryRepository, header: string | string[] | undefined): Promise<string> {
    this.#held.delete(place.identity);
    const challenges = readChallenges([header ?? ''].flat().join(', '));
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer && !place.bearer) {
      const { token, seconds } = await this.#lent(ctx, place, bearer);
      const until = ctx.clock.now().getTime() + seconds * 1000 - marginMs;
      return this.#hold(place, { authorization: `Bearer ${token}`, until });
    }
    if (challenges.some(({ scheme }) => scheme === 'basic') && place.basic) {
      return this.#hold(place, { authorization: place.basic, until: Number.POSITIVE_INFINITY });
    }
    throw refusal(401, place.shown);
  }

  /** Evicts a cached authorization that was refused. */
  forget(place: RegistryRepository): void {
    this.#held.delete(place.identity);
  }

  #hold(place: RegistryRepository, held: Held): string {
    this.#held.set(place.identity, held);
    return held.authorization;
  }

  async #lent(
    ctx: Ctx,
    place: RegistryRepository,
    { parameters }: Challenge,
  ): Promise<{ token: string; seconds: number }> {
    const url = serviceOf(place, parameters.get('realm') ?? '');
    const service = parameters.get('service');
    if (service) url.searchParams.set('service', service);
    url.searchParams.set('scope', parameters.get('scope') || `repository:${place.name}:pull`);
    const { certificate: _certificate, ...others } = place.terms;
    const answer = await visit(ctx, this.#outside(), {
      url,
      authorization: place.basic,
      terms: url.origin === place.origin ? place.terms : others,
      most: tokenBytes,
      ms: this.#ms,
    });
    if (answer.status !== 200) {
      answer.close();
      throw refusal(answer.status, `a token for ${place.shown} from ${url.origin}`);
    }
    return tokenIn(decodeText(await bodyOf(answer)), url.origin);
  }
}

/** The registry names the service; credentials for https are not sent without it. */
function serviceOf({ shown, origin }: RegistryRepository, realm: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(realm, origin);
  } catch {}
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && origin.startsWith('http:'));
  if (url && isSafe) return url;
  throw new FairleadError(
    'Auth',
    `${shown} sends us for a token to ${JSON.stringify(realm)}, which is no https URL`,
  );
}

function tokenIn(text: string, origin: string): { token: string; seconds: number } {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {}
  const { token, access_token, expires_in } = isObject(answer) ? answer : {};
  const given = [token, access_token].find((one) => typeof one === 'string' && one !== '');
  if (typeof given !== 'string' || /[\r\n]/.test(given)) {
    throw new FairleadError('Auth', `${origin} answered without a token`);
  }
  return {
    token: given,
    seconds: Math.max(typeof expires_in === 'number' ? expires_in : 0, shortestSeconds),
  };
}
