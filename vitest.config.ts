import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']
const thorough = process.env.MILLRACE_THOROUGH === '1'

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'],
    setupFiles: ['scripts/vitest-setup.ts'],
    testTimeout: thorough ? 120_000 : 5_000,
  },
}

export default config
