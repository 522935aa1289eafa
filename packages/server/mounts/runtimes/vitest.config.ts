import type { ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = {
  // Next compiles at the first request.
  test: { include: ['*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
}

export default config
