import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // One browser at a time.
  test: { include: ['*.test.ts'], fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 },
}

export default config
