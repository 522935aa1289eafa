import { join } from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { type MountedServer, startServer } from '../started-server.ts'
import { testMount } from '../test-mount.ts'

const folder = import.meta.dirname
const installed = (path: string): string => join(folder, 'node_modules', path)

// The executables themselves: their wrappers in `.bin` do not forward signals.
testMount('bun', { start: () => startServer(installed('bun/bin/bun.exe'), [join(folder, 'bun.ts')]) })

const deno = process.platform === 'win32' ? 'deno/deno.exe' : 'deno/deno'
const allowed = ['--no-prompt', '--allow-net=127.0.0.1', '--allow-env', '--allow-read']
testMount('deno', {
  start: () => startServer(installed(deno), ['run', ...allowed, join(folder, 'deno.ts')]),
})

testMount('workerd', { start: startWorker, endsInOrder: false })

const next = join(folder, 'next')
testMount('next', {
  start: () =>
    startServer(process.execPath, [installed('next/dist/bin/next'), 'dev', '--hostname', '127.0.0.1'], {
      cwd: next,
    }),
  endsInOrder: false,
})

/** Bundled as `wrangler` does it. */
async function startWorker(): Promise<MountedServer> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
    logLevel: 'error',
  })
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: outputFiles[0]?.text ?? '' }],
    compatibilityDate: '2026-06-01',
    durableObjects: { CHAT: 'Chat' },
    host: '127.0.0.1',
    port: 0,
  })
  const { origin } = await worker.ready
  const stop = () => worker.dispose()
  return { origin, stop, end: () => stop().then(() => 0) }
}
