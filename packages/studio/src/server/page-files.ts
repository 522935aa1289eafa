import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'hono'
import { StudioError } from '../studio-error.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** The folders of the built page: in the published package, and in the repository. */
const FOLDERS = ['./page/', '../page/', '../../dist/page/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** A file of the page, or `index.html` for the client-side routes, such as `/runs/…`. */
export async function pageFile(context: Context, folder?: string): Promise<Response> {
  const path = context.req.path
  const name = path === '/' ? 'index.html' : path.slice(1)
  // Only file names of the build: no `..` segments, no encoded characters.
  const isFile = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)+$/.test(name)
  const found = isFile ? await read(name, folder) : undefined
  if (found) {
    const isHashed = name.startsWith('assets/')
    return new Response(new Uint8Array(found), {
      headers: {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    })
  }
  if (isFile) throw new StudioError('NOT_FOUND', `The page has no file '${name.slice(0, 80)}'.`)
  const index = await read('index.html', folder)
  if (!index) {
    throw new StudioError(
      'NOT_FOUND',
      'The page is not built. In a clone, run: npx -y pnpm@10 -F @millrace/studio build',
    )
  }
  return new Response(new Uint8Array(index), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

async function read(name: string, folder: string | undefined): Promise<Buffer | undefined> {
  for (const place of folder === undefined ? FOLDERS : [folder]) {
    try {
      return await readFile(join(place, name))
    } catch {
      // Try the next folder.
    }
  }
  return undefined
}
