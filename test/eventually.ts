import { vi } from 'vitest';

/**
 * What `read` returns as soon as it does not throw. Vitest's own `waitFor` gives up after a second, which a busy machine may need for
 * a single request; here the limit of the test counts, and the last failure is reported shortly before it.
 */
export const eventually = <T>(read: () => T | Promise<T>, timeout = 15_000): Promise<T> =>
  vi.waitFor(read, { timeout, interval: 2 });
