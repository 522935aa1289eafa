import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    // The content security policy allows no data URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    // The licenses of bundled libraries require it.
    license: { fileName: 'third-party.md' },
  },
})
