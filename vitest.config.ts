import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']
const thorough = process.env.MILLRACE_THOROUGH === '1'

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      '{packages,apps}/*/{src,test}/**/*.test.ts',
      'packages/create-millrace/templates/*/src/**/*.test.ts',
      '{examples,scripts}/**/*.test.ts',
    ],
    // All cores: by default one is left idle, which on a machine of two is half of it.
    maxWorkers: '100%',
    setupFiles: ['scripts/vitest-setup.ts'],
    // Tests start hundreds of programs of ours, from the same sources: half of their time was compiling those.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
    // Against tests that hang; on a busy machine a test may take many times its usual time.
    testTimeout: thorough ? 600_000 : 60_000,
    hookTimeout: 60_000,
  },
}

export default config
