import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/** compat server §2.8: times in seconds; `expiresAt` left out: never. */
type AccountToken = { readonly id: string; readonly issuedAt: number; readonly expiresAt?: number };
export type AccountView = {
  readonly name: string;
  readonly enabled: boolean;
  readonly capabilities: readonly string[];
  readonly tokens?: readonly AccountToken[];
};

const passwordRequest = z.object({
  /** The account; the caller's own when left out. */
  name: z.string().optional(),
  currentPassword: z.string().default(''),
  newPassword: z.string().default(''),
});

/** Seconds; 0 or left out: never. Clients of the peer send 64-bit numbers as text as well. */
const seconds = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
]);
export const tokenRequest = z.object({ id: z.string().max(256).optional(), expiresIn: seconds.optional() });
export type TokenRequest = z.infer<typeof tokenRequest>;

const at = '/api/v1/account' as const;

export const accounts = {
  list: endpoint<{ items: readonly AccountView[] }>()('GET', at),
  updatePassword: endpoint<Record<string, never>>()('PUT', `${at}/password`, passwordRequest),
  canI: endpoint<{ value: 'yes' | 'no' }>()('GET', `${at}/can-i/:resource/:action/*object`),
  get: endpoint<AccountView>()('GET', `${at}/:name`),
  createToken: endpoint<{ token: string }>()('POST', `${at}/:name/token`, tokenRequest),
  deleteToken: endpoint<Record<string, never>>()('DELETE', `${at}/:name/token/:id`),
} as const;
