import type { KnipConfig } from 'knip'
import { findSnippets } from './scripts/snippets.ts'

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'examples/**/*.ts',
        'scripts/*.ts',
        'scripts/{e2e,pictures}/main.ts',
        '*.md',
        'scripts/pictures/{vitest.config,*.picture,*.test}.ts',
      ],
      project: ['*.ts', '{examples,scripts}/**/*.ts'],
      ignoreDependencies: [
        // Commands of scripts/package-shape.ts.
        '@arethetypeswrong/cli',
        'publint',
        // What `pnpm e2e` installs if the machine has no browser.
        '@sparticuz/chromium',
        // Commands of scripts/command.ts.
        '@biomejs/biome',
        '@changesets/cli',
        'turbo',
        // Named to Stryker in scripts/mutation.ts.
        '@stryker-mutator/vitest-runner',
        // Of snippets in the documentation of packages, which run from here.
        /^@millrace\//,
        'create-millrace',
        '@electric-sql/pglite',
        '@hono/node-server',
      ],
    },
    'packages/*': {
      entry: [
        '{src,test}/**/*.test.ts',
        '{src,test}/**/*.test-d.ts',
        'test/**/*.cost.ts',
        'test/mastra-examples/*/documented.ts',
        // Commands, and what tests give them.
        'src/cli/main.ts!',
        'test/cli/{millrace.config,recording-program}.ts',
        // Started by hand, for work on a page.
        'test/sample/serve.ts',
        // What tests run in processes of their own.
        'test/{broken-processes,node-test,warm-up}/*.ts',
        // A command: lists what hostile texts cost.
        'test/cost/report.ts',
        // Examples that the documentation shows and tests start.
        'mounts/*.ts',
        'README.md',
        'docs/**/*.md',
      ],
      // "!" marks what is published: it may import only what the package itself declares.
      project: ['src/**/*.ts!', '!src/**/*.test.ts!', '!src/**/*.test-d.ts!', 'test/**/*.ts', 'mounts/*.ts'],
      ignore: ['dist/**'],
      // A peer, and a devDependency because turbo orders builds by those alone. An optional peer.
      // What the build puts into the package.
      ignoreDependencies: [
        '@millrace/core',
        'vitest',
        // Frameworks that are installed in a folder of their own.
        '@mastra/core',
        '@openai/agents',
        /^@mastra\/core\//,
        '@langchain/core',
        /^@langchain\/core\//,
        'langchain',
        '@huggingface/transformers',
        '@langchain/langgraph',
        // Of the mounts in other runtimes, likewise.
        'miniflare',
        'gpt-tokenizer',
        'libphonenumber-js',
        'obscenity',
        'eld',
        /^(?:gpt-tokenizer|libphonenumber-js|eld)\//,
      ],
      // Of the system.
      ignoreBinaries: ['mkfifo'],
    },
    'packages/studio': {
      entry: [
        '{src,test,page}/**/*.test.ts',
        'src/cli/main.ts!',
        'page/main.tsx',
        'e2e/{vitest.config,*.test}.ts',
        'test/{cli,sample}/*.ts',
        'test/**/*.cost.ts',
        'README.md',
        'docs/**/*.md',
      ],
      // The page is built into the package: what it imports is not installed with it.
      project: ['src/**/*.ts!', '!src/**/*.test.ts!', 'test/**/*.ts', 'page/**/*.{ts,tsx}', 'e2e/*.ts'],
      ignore: ['dist/**'],
      ignoreDependencies: [
        '@vitejs/plugin-react',
        // Of styles.
        '@fontsource-variable/inter',
        '@fontsource-variable/jetbrains-mono',
        // What the build puts into the package: into its code, and into the page.
        'diff',
        'hono',
        'papaparse',
        'zod',
        '@base-ui/react',
        '@tanstack/react-query',
        'react',
        'react-dom',
        // Optional peers.
        '@millrace/core',
        '@millrace/guards',
        '@millrace/pii',
      ],
    },
    'packages/create-millrace/templates/*': {
      entry: ['README.md', 'src/**/*.test.ts', 'src/main.ts!', 'page/main.tsx!'],
      project: ['src/**/*.ts!', '!src/**/*.test.ts!', 'page/**/*.{ts,tsx}!'],
      // Peers of what the projects use, which not every package manager installs by itself.
      ignoreDependencies: ['@opentelemetry/api', 'better-sqlite3'],
    },
    'apps/bench': {
      entry: [
        'src/main.ts!',
        'src/profile.ts!',
        'src/{scale,server}/main.ts!',
        'src/server/contestant.ts!',
        'src/figures/draw-figures.ts!',
      ],
      project: ['src/**/*.ts!'],
    },
    'apps/chat': {
      entry: ['src/main.ts!', 'page/main.tsx!', 'e2e/{vitest.config,*.test}.ts'],
      project: ['src/**/*.ts!', 'page/**/*.{ts,tsx}!', 'e2e/*.ts'],
      // Of the build of the page, which the command runs.
      ignoreDependencies: ['@vitejs/plugin-react'],
    },
    'apps/*': {
      project: ['src/**/*.ts!'],
    },
  },
  compilers: {
    // The snippets of the documentation use dependencies too.
    md: (text) =>
      findSnippets('', text)
        .filter(({ file }) => file === undefined)
        .flatMap(({ code }) => [...code.matchAll(/\b(?:from|import) '([^']+)'/g)])
        .map(([, specifier]) => `import '${specifier}'`)
        .join('\n'),
  },
}

export default config
