import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']
const thorough = process.env.MILLRACE_THOROUGH === '1'

export const TESTS = [
  '{packages,apps}/*/{src,test,page}/**/*.test.ts',
  'packages/create-millrace/templates/*/src/**/*.test.ts',
  '{examples,scripts}/**/*.test.ts',
]
// The two templates are not of the workspace: `pnpm create:test` runs them.
const OUTSIDE = [
  '**/node_modules/**',
  '**/dist/**',
  'packages/create-millrace/templates/{chat-next,worker}/**',
]

/** Packages that start no programs and hold no state of the process: their files share processes and what is loaded there. */
const SHARED = [
  'packages/{context,core,guards,injection-model,interop,memory,pii,processors,steering,testing,tokens}/{src,test}/**/*.test.ts',
]
/** Tests in them that count timers, set the tracer of the process, or measure time. */
const ALONE = [
  'packages/core/test/**/*.test.ts',
  'packages/core/src/tracing/**/*.test.ts',
  'packages/core/src/**/{abort,call-model,close,deadline,events,stream,tool-limits,wait-until}.test.ts',
  'packages/pii/src/{spans,tokenize-kept-nowhere}.test.ts',
  'packages/processors/test/{cost,stored}/**/*.test.ts',
]

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // All cores: by default one is left idle, which on a machine of two is half of it.
    maxWorkers: '100%',
    setupFiles: ['scripts/vitest-setup.ts'],
    // Tests start hundreds of programs of ours, from the same sources: half of their time was compiling those.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
    // Against tests that hang; on a busy machine a test may take many times its usual time.
    testTimeout: thorough ? 600_000 : 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: SHARED, exclude: [...OUTSIDE, ...ALONE], isolate: false },
      },
      { extends: true, test: { name: 'isolated', include: TESTS, exclude: [...OUTSIDE, ...SHARED] } },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: OUTSIDE } },
    ],
  },
}

export default config
