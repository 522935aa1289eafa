import type { ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = {
  // One browser at a time.
  test: { include: ['*.test.ts'], fileParallelism: false, testTimeout: 300_000, hookTimeout: 60_000 },
}

export default config
