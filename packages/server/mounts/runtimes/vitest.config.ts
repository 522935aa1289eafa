import type { ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = {
  // The first request to Next compiles.
  test: { include: ['*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
}

export default config
