import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: join(import.meta.dirname, 'page'),
  plugins: [react()],
  // React, the AI SDK and a Markdown renderer: 200 kB gzipped.
  build: { chunkSizeWarningLimit: 1_000, outDir: join(import.meta.dirname, 'dist'), emptyOutDir: true },
})
