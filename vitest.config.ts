import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'ui/src/**/*.test.{ts,tsx}'],
          setupFiles: ['test/setup.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          setupFiles: ['test/setup.ts'],
          globalSetup: ['test/build-once.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // each file starts programs of its own; two cores carry two at a time
          maxWorkers: 2,
        },
      },
    ],
  },
});
