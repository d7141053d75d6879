// The package has no types of its own; these are the parts that the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Grant = {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  };
  type Asking = {
    oidc: {
      client: { clientId: string };
      session: { accountId: string };
      params: { scope?: string };
    };
  };
  class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: {
      clientId: string;
      accountId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    on(event: string, listener: (...args: unknown[]) => void): void;
  }

  export { type Asking, Provider };
}
