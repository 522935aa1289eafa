import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ['*.test.ts'], testTimeout: 60_000 },
}

export default config
