// The commands of package.json that have parts: `pnpm check types size`, `pnpm e2e studio -t Stop`, `pnpm bench --help`.
// Without a part, a command runs those that are not optional. Further arguments are passed to what the parts start.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './published-packages.ts'

interface Part {
  about: string
  /** Command lines, one after another, until one fails. `folder`: of a separate lockfile that is installed first. */
  lines: readonly string[]
  /** Not run unless it is named. */
  optional?: true
}

const NODE = 'node --conditions=@millrace/source'
const BUILD = 'turbo run build --filter=!@millrace/template-*'
const REGISTRY = install('scripts/registry')

const COMMANDS: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  check: {
    lint: {
      about: 'format, lint, and which folder may import which',
      lines: ['biome check --error-on-warnings'],
    },
    types: {
      about: 'types of everything, and of each package as its users have it',
      lines: [
        'tsc',
        'tsc -p packages/create-millrace/templates/chat-vite --customConditions @millrace/source',
        'turbo run types',
      ],
    },
    test: { about: 'all tests', lines: ['vitest run'] },
    shape: {
      about: 'what a package contains when it is packed',
      lines: [BUILD, 'node scripts/package-shape.ts'],
    },
    unused: {
      about: 'unused files, exports and dependencies',
      lines: ['knip --no-config-hints', 'knip --no-config-hints --production --strict --dependencies'],
    },
    size: { about: 'budgets of size', lines: [BUILD, 'node scripts/size.ts'] },
    bench: {
      about: 'budgets of cost',
      lines: [BUILD, 'node --expose-gc apps/bench/src/main.ts --quick --check'],
    },
    build: { about: 'builds all packages', lines: [BUILD], optional: true },
    fix: { about: 'what the formatter and linter can fix', lines: ['biome check --write'], optional: true },
    regexes: {
      about: 'regular expressions that can take more than linear time, by recheck, which it installs',
      lines: ['node scripts/regexes.ts'],
      optional: true,
    },
    spelling: {
      about: 'spelling, by cspell, which it installs',
      lines: ['node scripts/spelling.ts'],
      optional: true,
    },
  },
  bench: {
    suites: {
      about:
        'what things cost, compared with doing the same by hand: `pnpm bench loop guards`, `pnpm bench suites --help`',
      lines: [BUILD, 'node --expose-gc apps/bench/src/main.ts'],
    },
    scale: {
      about: 'calls of one tenant while others fill a database',
      lines: [BUILD, 'node apps/bench/src/scale/main.ts'],
      optional: true,
    },
    server: {
      about: '1,000 streams at once from the server',
      lines: [BUILD, 'node apps/bench/src/server/main.ts --check'],
      optional: true,
    },
    peers: {
      about: 'the same work on other frameworks, which it installs',
      lines: [BUILD, install('apps/bench/peers'), 'node apps/bench/peers/main.ts'],
      optional: true,
    },
    profile: {
      about: 'a CPU profile of a long run, in profiles/',
      lines: [BUILD, 'node --cpu-prof --cpu-prof-dir=profiles apps/bench/src/profile.ts'],
      optional: true,
    },
  },
  e2e: {
    chat: { about: 'apps/chat in a headless Chromium', lines: ['node scripts/e2e/main.ts chat'] },
    docs: { about: 'the site in a headless Chromium', lines: ['node scripts/e2e/main.ts docs'] },
    studio: { about: 'the studio in a headless Chromium', lines: ['node scripts/e2e/main.ts studio'] },
    interop: {
      about: 'the adapters against the real frameworks, which it installs',
      lines: ['node scripts/interop.ts'],
      optional: true,
    },
    mounts: {
      about: 'the server on Next, Bun, Deno and workerd, which it installs',
      lines: ['turbo run build --filter=@millrace/server...', 'node scripts/mounts.ts'],
      optional: true,
    },
    runtimes: {
      about: 'the packed packages on the oldest and the newest Node, core on Bun and Deno',
      lines: [BUILD, 'node scripts/runtimes.ts'],
      optional: true,
    },
    tarballs: {
      about: 'the server, the demo and the studio from packed tarballs, in an empty folder',
      lines: [
        BUILD,
        'node scripts/server-command.ts',
        'node scripts/demo-command.ts',
        'node scripts/studio-command.ts',
      ],
      optional: true,
    },
    create: {
      about: 'a project from each template, or from those that are named',
      lines: [REGISTRY, BUILD, 'node scripts/create-test.ts'],
      optional: true,
    },
    walkthroughs: {
      about: 'the first steps of the documentation, literally, in empty folders',
      lines: [REGISTRY, BUILD, 'node scripts/walkthroughs.ts'],
      optional: true,
    },
    release: {
      about: 'a release to a local registry, and what can be installed from it',
      lines: [REGISTRY, 'node scripts/release-test.ts'],
      optional: true,
    },
  },
  // Not `docs`, which is a command of npm that pnpm passes on.
  site: {
    dev: { about: 'serves the site while you write', lines: ['node scripts/docs.ts dev'] },
    build: {
      about: 'builds the site to apps/docs/dist',
      lines: ['node scripts/docs.ts build'],
      optional: true,
    },
    preview: { about: 'serves the built site', lines: ['node scripts/docs.ts preview'], optional: true },
    tables: {
      about: 'writes the tables of options from the doc comments',
      lines: ['node scripts/options-tables.ts'],
      optional: true,
    },
    pictures: {
      about: 'takes the pictures again, from the running programs',
      lines: ['node scripts/pictures/main.ts'],
      optional: true,
    },
    figures: {
      about: 'draws the page of figures from apps/bench/results',
      lines: [`${NODE} apps/bench/src/figures/draw-figures.ts`],
      optional: true,
    },
  },
  dev: {
    run: {
      about: 'runs a program with the sources of the packages: `pnpm dev run examples/…`',
      lines: [NODE],
      optional: true,
    },
    serve: {
      about: "the server's command: `pnpm dev serve --config <file>`",
      lines: [`${NODE} packages/server/src/cli/main.ts`],
      optional: true,
    },
    studio: {
      about: 'the page of @millrace/studio: `pnpm dev studio --file <file>`',
      lines: [`${NODE} packages/studio/src/cli/main.ts`],
      optional: true,
    },
  },
}

const [command = '', ...words] = process.argv.slice(2)
const parts = COMMANDS[command] ?? {}
const count = words.findIndex((word) => !Object.hasOwn(parts, word))
const named = count === -1 ? words : words.slice(0, count)
const rest = words.slice(named.length)
const chosen = named.length > 0 ? named : Object.keys(parts).filter((name) => !parts[name]?.optional)

if (chosen.length === 0 || (named.length === 0 && rest[0] === '--help')) {
  console.log(usage())
  process.exitCode = chosen.length === 0 ? 2 : 0
} else {
  process.exitCode = 0
  for (const name of chosen) process.exitCode ||= runPart(parts[name])
}

/** Runs the lines of a part, and returns the exit code of the first that fails. */
function runPart({ lines }: Part = { about: '', lines: [] }): number {
  for (const [index, line] of lines.entries()) {
    const [program = '', ...given] = line.split(' ')
    const args = index === lines.length - 1 ? [...given, ...rest] : given
    const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
    const { status } = spawnSync(program, args, {
      cwd: root,
      stdio: 'inherit',
      env,
      shell: process.platform === 'win32',
    })
    if (status !== 0) return status ?? 1
  }
  return 0
}

function install(folder: string): string {
  if (!existsSync(join(root, folder))) throw new Error(`There is no folder ${folder}.`)
  return `pnpm install --dir ${folder} --ignore-workspace --ignore-scripts --frozen-lockfile`
}

function usage(): string {
  const rows = Object.entries(parts).map(
    ([name, { about, optional }]) => `  ${name.padEnd(14)}${optional ? '' : '* '}${about}`,
  )
  return `Usage: pnpm ${command || '<command>'} [part …] [arguments]\n\n${rows.join('\n')}\n\n* without a named part`
}
