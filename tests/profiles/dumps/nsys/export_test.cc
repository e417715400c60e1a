// Is a database from anybody read as an export of Nsight Systems, or refused with what is wrong?
#include <gtest/gtest.h>

#include "profiles/dumps/dump.h"
#include "profiles/dumps/nsys/about.h"
#include "tests/support/dump_testing.h"
#include "tests/support/nsys_test_export.h"

namespace tandem {
namespace {

const std::string kFine = "no error";
const DumpQuestion kAsked = {.model = "tiny", .names = {"conv", "fc"}};

std::string ErrorOfBytes(const std::string& bytes, const std::string& format = "nsys") {
  return ErrorOf([&] { ParseProfileDump(bytes, "report.sqlite", format, kAsked); });
}
std::string ErrorOfExport(const NsysTestExport& nsys) { return ErrorOfBytes(nsys.Bytes()); }

TEST(NsysExport, IsRecognisedByItsContent) { EXPECT_EQ(ErrorOfBytes(ThreeInferences().Bytes(), ""), kFine); }

TEST(NsysExport, OfASchemaThatTandemDoesNotKnowIsRefused) {
  const std::string known =
      "; tandem knows 3.1 to 3.24, of Nsight Systems 2023.2 to 2026.1: export the report with one of these";
  for (const char* const schema : {"2.9.1", "4.0.0", "3.25.0", "3.0.1", "3", "three"}) {
    EXPECT_EQ(ErrorOfExport(ThreeInferences().Schema(schema)),
              "report.sqlite: its schema is of version \"" + std::string(schema) + "\"" + known);
  }
  for (const char* const schema : {"3.1.7", "3.24.14"}) {
    EXPECT_EQ(ErrorOfExport(ThreeInferences().Schema(schema)), kFine) << schema;
  }
}

TEST(NsysExport, SaysItsSchemaAsVersionsHaveDone) {
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Sql("ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA;")),
            kFine);
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Sql(
                "UPDATE META_DATA_EXPORT SET name = 'EXPORT_SCHEMA_VERSION_MAJOR', value = '3';"
                "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION_MINOR', '20');")),
            kFine);
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Without("META_DATA_EXPORT")),
            "report.sqlite: does not say the version of its schema; is it what `nsys export --type=sqlite` "
            "of Nsight "
            "Systems 2023.2 or newer wrote?");
}

TEST(NsysExport, WithoutWhatTellsLayersApartIsRefused) {
  const std::string again =
      "; profile the program with `nsys profile --trace=cuda,nvtx`, and export it again";
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Without("NVTX_EVENTS")),
            "report.sqlite: has no NVTX ranges (table NVTX_EVENTS)" + again);
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Without("CUPTI_ACTIVITY_KIND_KERNEL")),
            "report.sqlite: has no CUDA kernels (table CUPTI_ACTIVITY_KIND_KERNEL)" + again);
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Without("CUPTI_ACTIVITY_KIND_RUNTIME")),
            "report.sqlite: has no calls that launch kernels (table CUPTI_ACTIVITY_KIND_RUNTIME)" + again);
}

TEST(NsysExport, WithoutWhatIsOnlyThereWhereItHappenedIsRead) {
  NsysTestExport nsys = ThreeInferences();
  for (const char* const table :
       {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "TARGET_INFO_CUDA_DEVICE", "TARGET_INFO_GPU"}) {
    nsys.Without(table);
  }
  nsys.Sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN graphNodeId;");
  EXPECT_EQ(ErrorOfExport(nsys), kFine);
}

TEST(NsysExport, ValuesOfAnotherKindAreNamedWithTheirPlace) {
  const auto update = [](const std::string& set) {
    return ErrorOfExport(
        ThreeInferences().Sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET " + set + " WHERE correlationId = 2;"));
  };
  const std::string place = "report.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL, row 2: ";
  EXPECT_EQ(update("start = 'soon'"), place + "column start: expected a whole number, found text");
  EXPECT_EQ(update("start = 0.5"), place + "column start: expected a whole number, found a fraction");
  EXPECT_EQ(update("globalPid = NULL"), place + "column globalPid: expected a whole number, found nothing");
  EXPECT_EQ(update("end = start - 1"), place + "ends before it starts");
  EXPECT_EQ(update("start = 0, end = 0"),
            place + "has no times: the profiler could not record them; profile again");
  EXPECT_EQ(update("end = 9223372036854775807"),
            place + "the time 9223372036854775807 ns is beyond all reason");
  EXPECT_EQ(update("shortName = 77"), place + "StringIds has no 77");
  EXPECT_EQ(
      ErrorOfExport(ThreeInferences().Sql("ALTER TABLE NVTX_EVENTS RENAME COLUMN eventType TO kind;")),
      "report.sqlite: table NVTX_EVENTS has no column eventType: another version of the export than tandem "
      "knows");
}

TEST(NsysExport, NothingStandsInPlaceOfATable) {
  const std::string other = "report.sqlite: NVTX_EVENTS is no ordinary table; export the report again";
  const auto replaced = [](const std::string& by) {
    return ErrorOfExport(ThreeInferences().Sql("ALTER TABLE NVTX_EVENTS RENAME TO kept;" + by));
  };
  EXPECT_EQ(replaced("CREATE VIEW NVTX_EVENTS AS SELECT * FROM kept;"), other);
  EXPECT_EQ(replaced("CREATE VIEW nvtx_events AS SELECT * FROM kept;"), other);
  EXPECT_EQ(
      ErrorOfExport(ThreeInferences().Sql("CREATE TRIGGER NVTX_EVENTS AFTER INSERT ON StringIds BEGIN DELETE "
                                          "FROM StringIds; END;")),
      other);
  EXPECT_EQ(ErrorOfExport(ThreeInferences().Sql(
                "ALTER TABLE NVTX_EVENTS ADD COLUMN slow AS (length(hex(zeroblob(8000000))));")),
            "report.sqlite: column \"slow\" of table NVTX_EVENTS is computed, which no export has; export "
            "the report "
            "again");
}

TEST(NsysExport, AFileThatIsNoDatabaseOrIsDamagedIsRefused) {
  EXPECT_EQ(ErrorOfBytes("conv1 12 ms"),
            "report.sqlite: is no SQLite database; `nsys export --type=sqlite` makes one of a report");
  const std::string bytes = ThreeInferences().Bytes();
  EXPECT_NE(ErrorOfBytes(bytes.substr(0, bytes.size() / 2)).find("is damaged: "), std::string::npos);
  std::string page = bytes;
  for (std::size_t i = 512; i < page.size(); i += 512) page[i] = '\x7f';
  EXPECT_NE(ErrorOfBytes(page).find("is damaged: "), std::string::npos) << ErrorOfBytes(page);
  std::string logged = bytes;
  logged[18] = logged[19] = 2;
  EXPECT_NE(ErrorOfBytes(logged).find("is written to through a log beside it"), std::string::npos);
}

TEST(NsysExport, OfABuildWithoutSqliteSaysWhatToInstall) {
  EXPECT_EQ(ErrorOf([] { nsys::RefuseWithoutSqlite("report.sqlite"); }),
            "report.sqlite: Nsight Systems' exports are SQLite databases, and this tandem was built without "
            "SQLite; "
            "install libsqlite3-dev and build it again");
}

TEST(NsysExport, NoDamageCrashes) {
  const std::string bytes = ThreeInferences().Bytes();
  for (std::size_t i = 0; i < bytes.size(); i += 41) {
    for (const char byte : {'\0', '\x05', '\x0d', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[i] = byte;
      ErrorOfBytes(damaged);
    }
  }
}

}  // namespace
}  // namespace tandem
