import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // One browser at a time.
  test: { include: ['*.picture.ts'], fileParallelism: false, testTimeout: 300_000, hookTimeout: 60_000 },
}

export default config
