import type { KnipConfig } from 'knip'
import { findSnippets } from './scripts/snippets.ts'

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: ['{examples,scripts}/*.ts', '*.md'],
      project: ['*.ts', '{examples,scripts}/**/*.ts'],
      // Commands of scripts/package-shape.ts.
      ignoreDependencies: ['@arethetypeswrong/cli', 'publint'],
    },
    'packages/*': {
      entry: [
        '{src,test}/**/*.test.ts',
        '{src,test}/**/*.test-d.ts',
        'test/mastra-examples/*/documented.ts',
        'README.md',
        'docs/**/*.md',
      ],
      // "!" marks what is published: it may import only what the package itself declares.
      project: ['src/**/*.ts!', '!src/**/*.test.ts!', '!src/**/*.test-d.ts!', 'test/**/*.ts'],
      ignore: ['dist/**'],
      // A peer, and a devDependency because turbo orders builds by those alone.
      ignoreDependencies: ['@millrace/core'],
    },
    'apps/bench': {
      entry: ['src/main.ts!', 'src/profile.ts!'],
      project: ['src/**/*.ts!'],
    },
    'apps/*': {
      project: ['src/**/*.ts!'],
    },
  },
  compilers: {
    // The snippets of the documentation use dependencies too.
    md: (text) =>
      findSnippets('', text)
        .flatMap(({ code }) => [...code.matchAll(/\b(?:from|import) '([^']+)'/g)])
        .map(([, specifier]) => `import '${specifier}'`)
        .join('\n'),
  },
}

export default config
