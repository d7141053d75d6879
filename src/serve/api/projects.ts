import { z } from 'zod';
import { tokenRequest } from './accounts.ts';
import { endpoint } from './endpoint.ts';

const roleTokenRequest = tokenRequest.extend({ description: z.string().optional() });

const at = '/api/v1/projects/:project/roles/:role/token' as const;

export const projects = {
  createToken: endpoint<{ token: string }>()('POST', at, roleTokenRequest),
  deleteToken: endpoint<Record<string, never>>()('DELETE', `${at}/:iat`),
} as const;
