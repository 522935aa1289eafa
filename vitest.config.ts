import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'

const conditions = ['@millrace/source']
const thorough = process.env.MILLRACE_THOROUGH === '1'

export const TESTS = [
  '{packages,apps}/*/{src,test,page}/**/*.test.ts',
  'packages/create-millrace/templates/*/src/**/*.test.ts',
  '{examples,scripts}/**/*.test.ts',
]
// These two templates are not in the workspace: `pnpm e2e create` runs them.
const OUTSIDE = [
  '**/node_modules/**',
  '**/dist/**',
  'packages/create-millrace/templates/{chat-next,worker}/**',
]

/** Test files without process-wide state. They run without isolation, so they share processes and loaded modules. */
const SHARED = [
  'packages/{context,core,guards,injection-model,interop,memory,pii,processors,server,sqlite-dialect,steering,store-libsql,store-sqlite,studio,testing,tokens}/{src,test,page}/**/*.test.ts',
  'packages/{codemod,create-millrace,dbos,store-postgres}/src/**/*.test.ts',
  'packages/create-millrace/templates/*/src/**/*.test.ts',
  'apps/{bench,chat,demo,docs,evaluate}/src/**/*.test.ts',
  'scripts/**/*.test.ts',
]
/** Exceptions: tests that count timers or errors of the process, mock modules or the tracer, or end processes. */
const ALONE = [
  'apps/demo/src/demo.test.ts',
  'packages/core/src/tracing/**/*.test.ts',
  'packages/core/src/**/{abort,call-model,close,deadline,events,stream,tool-limits,wait-until}.test.ts',
  'packages/core/test/{chaos,incomplete,mcp,portability}/**/*.test.ts',
  'packages/core/test/resume/{new-process,race}.test.ts',
  'packages/pii/src/{spans,tokenize-kept-nowhere}.test.ts',
  'packages/server/test/gates.test.ts',
  'packages/{server,studio}/test/cli/**/*.test.ts',
  'packages/store-{libsql,sqlite}/test/{conformance,file-mode,many-vectors,server}.test.ts',
]
/** Test files that record all spans of their process in one exporter. */
const TRACED = ['packages/processors/test/stored/**/*.test.ts']
/** Test files that use one Postgres server, which is started once. */
const POSTGRES = ['packages/{dbos,store-postgres}/test/**/*.test.ts']
/** Exceptions, which use a database in the process. */
const PGLITE = ['packages/store-postgres/test/{pglite,postgres-vector-store}.test.ts']

const config: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Use all cores. By default vitest leaves one idle, which is half of a machine with two cores.
    maxWorkers: '100%',
    setupFiles: ['scripts/vitest-setup.ts'],
    // Tests start hundreds of child processes from the same sources. The cache saves half of their time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
    // Ends tests that hang. On a busy machine a test may take many times its usual time.
    testTimeout: thorough ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [...SHARED, ...PGLITE],
          exclude: [...OUTSIDE, ...ALONE, ...TRACED],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'traced', include: TRACED, exclude: OUTSIDE, isolate: false } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: POSTGRES,
          exclude: [...OUTSIDE, ...PGLITE],
          globalSetup: 'packages/store-postgres/test/one-server.ts',
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: TESTS, exclude: [...OUTSIDE, ...SHARED, ...POSTGRES] },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: OUTSIDE } },
    ],
  },
}

export default config
