import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['*.test.ts'],
    // One browser at a time.
    fileParallelism: false,
    // Accessibility checks of a view take seconds, on a busy machine many times that.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
}

export default config
