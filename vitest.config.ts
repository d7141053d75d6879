import { defineConfig } from 'vitest/config';

const tests = (name: string, include: string[], timeout: number) => ({
  test: { name, include, testTimeout: timeout, hookTimeout: timeout },
});

export default defineConfig({
  test: {
    projects: [
      tests('unit', ['src/**/*.test.ts', 'ui/src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'], 10_000),
      tests('system', ['test/**/*.test.ts'], 120_000),
    ],
  },
});
