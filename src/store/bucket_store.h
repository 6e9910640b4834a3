// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "glint/object_store.h"
#include "store/bucket.h"
#include "store/key_template.h"

namespace glint {

/// Sets of objects in a bucket, which knows no renaming of folders: an attempt uploads under keys
/// of its own, Commit copies on the server's side, removes what the earlier set had besides, and
/// puts report.json last (docs/adr/0008-object-store-publication.md).
/// @param root  in front of every key; may be empty
/// @param left_out  types of objects that are not wanted there: "text/html"
std::unique_ptr<ObjectStore> MakeBucketStore(std::unique_ptr<Bucket> bucket, std::string root,
                                             KeyTemplate keys,
                                             std::vector<std::string> left_out = {});

}  // namespace glint
