// React Router goes on to another path, whose part is a program of its own.
import { lazy, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter, Link, Navigate, Route, Routes } from "react-router";

const Page = lazy(() => import("./react-router-part.jsx"));

createRoot(document.querySelector("#app")).render(
  <BrowserRouter>
    <nav><Link to="/other">Other</Link></nav>
    <Suspense fallback={<p>Loading…</p>}>
      <Routes>
        <Route path="/articles/:id" element={<Page />} />
        <Route path="*" element={<Navigate to="/articles/7" replace />} />
      </Routes>
    </Suspense>
  </BrowserRouter>,
);
